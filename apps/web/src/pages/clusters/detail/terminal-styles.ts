/**
 * The terminal library makes <style> elements, which the content security policy refuses. While it builds its screen it
 * gets plain elements instead, and what it writes into them becomes a style sheet of the page by the object model,
 * which is allowed. Returns what takes the sheets away again.
 */
export function withPlainStyles(build: () => void): () => void {
  const undo: (() => void)[] = []
  const makeStyle = (): HTMLElement => {
    const stand = Document.prototype.createElement.call(document, 'span')
    stand.hidden = true
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
    const observer = new MutationObserver(() => sheet.replaceSync(stand.textContent))
    observer.observe(stand, { childList: true, characterData: true, subtree: true })
    undo.push(() => {
      observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    })
    return stand
  }
  const createElement = (tag: string) =>
    tag === 'style' ? makeStyle() : Document.prototype.createElement.call(document, tag)
  // An own property hides the document's function for as long as the build lasts.
  Object.defineProperty(document, 'createElement', { value: createElement, configurable: true })
  try {
    build()
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
  return () => undo.forEach((step) => step())
}
