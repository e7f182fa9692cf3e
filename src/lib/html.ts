/** Escapes text for HTML, also inside quotes. Most URLs need no change: the test saves the redirect path a copy. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`) : text
}
