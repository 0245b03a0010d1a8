import type { ITheme, Terminal } from '@xterm/xterm'

/**
 * The terminal library creates <style> elements, which the content security policy blocks. While it builds its screen,
 * it gets plain elements instead, and their text becomes an adopted style sheet, which is allowed. Returns a function
 * that removes the sheets.
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
  // An own property shadows the document's function during the build.
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
/** Border: private parts of the pinned version in package.json; e2e/terminal.vim.spec.ts checks the terminal's pixels. */
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

/** A cell's colors are set with a style attribute, which the policy also blocks; the CSSOM is allowed. */
export function allowCellColors(screen: Terminal): void {
  internalsOf(screen)._renderService._renderer.value._rowFactory._addStyle = (element, style) => {
    const [name = '', value = ''] = style.split(':')
    element.style.setProperty(name, value)
  }
}

/**
 * Sets the theme. For text in reverse video, the library checks contrast as if it still had the plain text color, which
 * is now its background, and turns it gray. Marking the pair as needing no change gives it the background's color.
 */
export function setTheme(screen: Terminal, theme: ITheme): void {
  screen.options.theme = theme
  const { foreground, contrastCache, halfContrastCache } = internalsOf(screen)._themeService.colors
  for (const cache of [contrastCache, halfContrastCache])
    cache.setColor(foreground.rgba, foreground.rgba, null)
}
