import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import type { StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import type { Language } from './language'

/** One small file per language, loaded when a text in it is opened. */
const parsers: Record<Language, () => Promise<StreamParser<unknown>>> = {
  shell: async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  python: async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  yaml: async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml,
  json: async () => (await import('@codemirror/legacy-modes/mode/javascript')).json,
  c: async () => (await import('@codemirror/legacy-modes/mode/clike')).cpp,
  fortran: async () => (await import('@codemirror/legacy-modes/mode/fortran')).fortran,
  r: async () => (await import('@codemirror/legacy-modes/mode/r')).r,
  julia: async () => (await import('@codemirror/legacy-modes/mode/julia')).julia,
}

export const loadLanguage = async (language: Language): Promise<Extension> =>
  StreamLanguage.define(await parsers[language]())

/** Uses the theme tokens, so that both themes work. */
export const highlighting: Extension = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--green)' },
    { tag: [tags.number, tags.bool, tags.atom], color: 'var(--amber)' },
    { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--blue)', fontWeight: '500' },
    { tag: [tags.standard(tags.variableName), tags.function(tags.variableName)], color: 'var(--blue)' },
    { tag: [tags.definition(tags.variableName), tags.propertyName, tags.attributeName], color: 'var(--red)' },
    { tag: [tags.meta, tags.processingInstruction], color: 'var(--ink-2)', fontWeight: '600' },
  ]),
)
