/// <reference types="vite/client" />
declare module 'virtual:theme-variables.css'
