import type { RefObject } from 'react'
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
  /** What is wrong with the text; announced with the editor, displayed by the caller. */
  problem?: string | undefined
  /** Set to a function that puts text at the cursor. */
  inserter?: RefObject<((text: string) => void) | null>
  /** Wraps long lines, for prose. */
  wrap?: boolean
  /** The height of the frame; the text scrolls inside it. */
  className: string
}
