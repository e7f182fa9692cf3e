export { version } from '../lib/version.js'
