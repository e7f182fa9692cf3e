import { inject } from 'vitest'

/** The folder of a build of a former commit, or why there is none. */
export const formerProgram = () => inject('formerProgram')
