import { createElement, Fragment, type ReactNode } from 'react'

/** Each supported element and its replacement: the page has its own h1, so their headings move down one level. */
const elements = new Map([
  ['h1', 'h2'],
  ['h2', 'h3'],
  ['h3', 'h4'],
  ['h4', 'h5'],
  ['p', 'p'],
  ['ul', 'ul'],
  ['ol', 'ol'],
  ['li', 'li'],
  ['dl', 'dl'],
  ['dt', 'dt'],
  ['dd', 'dd'],
  ['a', 'a'],
  ['img', 'img'],
  ['strong', 'strong'],
  ['b', 'strong'],
  ['em', 'em'],
  ['i', 'em'],
  ['code', 'code'],
  ['pre', 'pre'],
  ['blockquote', 'blockquote'],
  ['small', 'small'],
  ['sub', 'sub'],
  ['sup', 'sup'],
  ['br', 'br'],
  ['hr', 'hr'],
])

/** Elements whose content is not readable text or could be active; for any other unknown element, the content is kept. */
const dropped = new Set(
  'script style template iframe frame frameset object embed applet svg math noscript noembed noframes form input button select option textarea link meta base head title audio video source track canvas portal dialog xmp plaintext listing'.split(
    ' ',
  ),
)

const DEEPEST = 40
const MOST_NODES = 2000

/** The normalized URL, so that `java\nscript:` is recognized; null if it must not be followed. */
function safeUrl(value: string | null, protocols: readonly string[]): string | null {
  if (value === null || !URL.canParse(value, location.origin)) return null
  const url = new URL(value, location.origin)
  if (!protocols.includes(url.protocol)) return null
  return url.origin === location.origin ? url.pathname + url.search + url.hash : url.href
}

function attributes(element: Element): Record<string, string> | null {
  if (element.localName === 'a') {
    const href = safeUrl(element.getAttribute('href'), ['http:', 'https:', 'mailto:'])
    if (href === null) return {}
    return /^https?:/.test(href) ? { href, rel: 'noopener noreferrer', target: '_blank' } : { href }
  }
  if (element.localName === 'img') {
    const src = safeUrl(element.getAttribute('src'), ['http:', 'https:'])
    return src === null ? null : { src, alt: element.getAttribute('alt') ?? '' }
  }
  return {}
}

/**
 * Removes styles and handlers that the page's content security policy forbids, because browsers also apply it to
 * parsed documents and report each violation. This only prevents the reports; `sanitizeHtml` decides what is rendered.
 */
const withoutForbidden = (html: string): string =>
  html
    .replace(/<(\/?)style\b/gi, '<$1template')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/([\s"'/])(style|on[a-z]+)(?=\s*=)/gi, '$1data-$2'))

/**
 * Converts an operator's HTML to React elements. None of it reaches the page as markup: the text is parsed into a
 * document that runs no scripts, and harmless content is rebuilt without any attribute that is not on the allowlist.
 * Written by hand, because a library such as DOMPurify does not return React elements and would be part of the first
 * page that guests load.
 */
export function sanitizeHtml(html: string): ReactNode {
  const body = new DOMParser().parseFromString(withoutForbidden(html), 'text/html').body
  let left = MOST_NODES

  const children = (parent: Node, depth: number): ReactNode[] =>
    [...parent.childNodes].map((node, index) => rebuild(node, depth, index))

  const rebuild = (node: Node, depth: number, key: number): ReactNode => {
    if (depth > DEEPEST || --left < 0) return null
    if (node.nodeType === Node.TEXT_NODE) return node.textContent
    if (!(node instanceof Element) || dropped.has(node.localName)) return null
    // An element of another namespace may follow different rules, even if its name is on our list.
    if (node.namespaceURI !== 'http://www.w3.org/1999/xhtml') return null
    const name = elements.get(node.localName)
    if (name === undefined) return <Fragment key={key}>{children(node, depth + 1)}</Fragment>
    const given = attributes(node)
    if (given === null) return null
    const isVoid = name === 'br' || name === 'hr' || name === 'img'
    return createElement(name, { key, ...given }, ...(isVoid ? [] : children(node, depth + 1)))
  }

  return <>{children(body, 0)}</>
}
