// Sets the colour scheme before the first paint. A file of its own: the policy of the page allows no inline script.
const stored = localStorage.getItem('mantine-color-scheme-value')
const chosen = stored === 'light' || stored === 'dark' ? stored : undefined
const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.setAttribute('data-mantine-color-scheme', chosen ?? preferred)

// Phones draw their bar above the page in its color, also when the person chooses the other scheme.
const grounds: Readonly<Record<string, string>> = { light: '#f7f7f9', dark: '#12161e' }
const showGround = () => {
  const { mantineColorScheme = '' } = document.documentElement.dataset
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', grounds[mantineColorScheme] ?? '')
}
new MutationObserver(showGround).observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
showGround()
