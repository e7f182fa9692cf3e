/** With http or https and a host, as far as one can tell without the rules of the service, which is stricter. */
export function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#\\@]+([/#]\S*)?$/i.test(text) && URL.canParse(text) && !new URL(text).host.includes('..')
}
