import type { Language } from './language'

export interface CodeEditorProps {
  /** Its accessible name. */
  label: string
  value: string
  onChange?: (value: string) => void
  /** Ctrl+S inside the editor. */
  onSave?: () => void
  onBlur?: () => void
  language?: Language | undefined
  readOnly?: boolean
  /** What is wrong with the text; said with the editor, drawn by whoever uses it. */
  problem?: string | undefined
  /** The height of the frame: the text scrolls within it. */
  className: string
}
