import { createHash } from 'node:crypto'
import { LOGO_MAX_BYTES } from '@flotilla/contract/limits'
import { pictureType } from '../../picture-type'

export type Logo = { name: string; type: string; bytes: Uint8Array }

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const

function kindOf(bytes: Uint8Array): { extension: string; type: string } | null {
  const type = pictureType(bytes)
  if (type && type !== 'image/gif') return { extension: extensions[type], type }
  const text = svgText(bytes)
  return text === null ? null : { extension: 'svg', type: 'image/svg+xml' }
}

function svgText(bytes: Uint8Array): string | null {
  try {
    const text = withoutComments(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return /^\s*(<\?xml[^>]*\?>\s*)?(<!DOCTYPE\s+svg[^>[]*(\[[^\]]*\]\s*)?>\s*)?<svg[\s>]/i.test(text)
      ? text
      : null
  } catch {
    return null
  }
}

function withoutComments(text: string): string {
  let kept = ''
  for (let at = 0; ;) {
    const begin = text.indexOf('<!--', at)
    const end = begin < 0 ? -1 : text.indexOf('-->', begin + 4)
    if (end < 0) return kept + text.slice(at)
    kept += text.slice(at, begin)
    at = end + 3
  }
}

/**
 * Content that a logo does not need. The content security policy keeps any SVG from running code, but an admin who
 * uploads one that tries should know.
 */
const active: [RegExp, string][] = [
  [/<(?:[\w-]+:)?(?:script|handler)\b/i, 'a script'],
  [/[\s/"']on[a-z]+\s*=/i, 'an event handler'],
  [/<(?:[\w-]+:)?(?:foreignObject|iframe|object|embed|audio|video)\b/i, 'embedded content'],
  [/<!ENTITY|<\?xml-stylesheet/i, 'an entity or a style sheet'],
  [/javascript:|data:(?!image\/(?:png|jpeg|webp)[;,])/i, 'an active link'],
  [
    /\b(?:href|src)\s*=\s*["']?\s*(?![\s"'#]|data:)|url\(\s*["']?\s*(?![\s"'#]|data:)|@import/i,
    'a link to another file',
  ],
]

/** The logo, or the reason why it is rejected. */
export function readLogo(bytes: Uint8Array): Logo | string {
  if (bytes.length === 0) return 'Choose a file'
  if (bytes.length > LOGO_MAX_BYTES) return `The file is larger than ${LOGO_MAX_BYTES / 1024} KB`
  const kind = kindOf(bytes)
  if (!kind) return 'This is not a PNG, JPEG, WebP or SVG image'
  const svg = kind.extension === 'svg' ? svgText(bytes) : null
  const found = svg === null ? undefined : active.find(([pattern]) => pattern.test(svg))
  if (found) return `The SVG contains ${found[1]}. Export it as plain SVG, or use a PNG.`
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { name: `logo-${hash}.${kind.extension}`, type: kind.type, bytes }
}

export const isLogoName = (name: string): boolean => /^logo-[0-9a-f]{16}\.(png|jpg|webp|svg)$/.test(name)
