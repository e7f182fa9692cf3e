// Sets the colour scheme before the first paint. A file of its own: the policy of the page allows no inline script.
const stored = localStorage.getItem('mantine-color-scheme-value')
const chosen = stored === 'light' || stored === 'dark' ? stored : undefined
const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.setAttribute('data-mantine-color-scheme', chosen ?? preferred)
