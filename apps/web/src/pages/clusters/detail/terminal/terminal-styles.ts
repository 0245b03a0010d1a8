import type { ITheme, Terminal } from '@xterm/xterm'

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

type Color = { rgba: number }
type ContrastCache = { setColor(bg: number, fg: number, adjusted: null): void }
/** Border: private parts of the one version in package.json; the terminal's pixels are held by e2e/terminal.spec.ts. */
type Internals = {
  _core: {
    _renderService: {
      _renderer: { value: { _rowFactory: { _addStyle(element: HTMLElement, style: string): void } } }
    }
    _themeService: {
      colors: { foreground: Color; contrastCache: ContrastCache; halfContrastCache: ContrastCache }
    }
  }
}
const internalsOf = (screen: Terminal) => (screen as unknown as Internals)._core

/** A cell's own colors are set as a style attribute, which the policy refuses as well: the object model is allowed. */
export function allowCellColors(screen: Terminal): void {
  internalsOf(screen)._renderService._renderer.value._rowFactory._addStyle = (element, style) => {
    const [name = '', value = ''] = style.split(':')
    element.style.setProperty(name, value)
  }
}

/**
 * Sets the theme. Text in reverse video is checked for contrast as if it kept the color of plain text, which is now its
 * background, and becomes gray. The pair is marked as needing no change, so that it gets the background's color.
 */
export function setTheme(screen: Terminal, theme: ITheme): void {
  screen.options.theme = theme
  const { foreground, contrastCache, halfContrastCache } = internalsOf(screen)._themeService.colors
  for (const cache of [contrastCache, halfContrastCache])
    cache.setColor(foreground.rgba, foreground.rgba, null)
}
