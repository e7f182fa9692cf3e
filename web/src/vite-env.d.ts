/// <reference types="vite/client" />
declare module 'virtual:theme-variables.css'
declare module 'virtual:world-map' {
  export const url: string
}
