import { LOGO_MAX_BYTES } from '@flotilla/contract/limits'
import { ImageUp } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { Button } from '../../../ui/button/button'
import { Field } from '../../../ui/form/field'

/** A choice that is not saved yet. */
export type ChosenLogo = 'keep' | 'remove' | { name: string; bytes: Uint8Array; url: string }

interface Props {
  current: string | null
  chosen: ChosenLogo
  onChoose: (logo: ChosenLogo) => void
  error: string | undefined
  disabled: boolean
  hint: ReactNode
}

export function LogoField({ current, chosen, onChoose, error, disabled, hint }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const hasLogo = chosen === 'keep' ? current !== null : chosen !== 'remove'
  const choose = async (file: File | undefined) => {
    if (!file) return
    const bytes = new Uint8Array(await file.arrayBuffer())
    onChoose({ name: file.name, bytes, url: dataUrl(file, bytes) })
  }
  const text =
    chosen === 'keep'
      ? (current ?? 'Built-in')
      : chosen === 'remove'
        ? 'Built-in, once you save'
        : `${chosen.name}, once you save`
  const limits = `PNG, JPEG, WebP or SVG, at most ${LOGO_MAX_BYTES / 1024} KB. Square images look best.`
  return (
    <Field label="Logo" error={error} hint={hint ?? limits}>
      {(aria) => (
        <div className="flex flex-wrap items-center gap-2">
          <input
            {...aria}
            ref={input}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            className="sr-only"
            tabIndex={-1}
            disabled={disabled}
            onChange={({ target }) => {
              void choose(target.files?.[0])
              // Cleared so that the same file can be chosen again after it was edited.
              target.value = ''
            }}
          />
          <Button icon={ImageUp} disabled={disabled} onClick={() => input.current?.click()}>
            Choose an image
          </Button>
          {hasLogo && (
            <Button disabled={disabled} onClick={() => onChoose(current === null ? 'keep' : 'remove')}>
              Remove logo
            </Button>
          )}
          <span className="min-w-0 text-body text-ink-2 wrap-anywhere">{text}</span>
        </div>
      )}
    </Field>
  )
}

const dataUrl = ({ type }: File, bytes: Uint8Array): string =>
  `data:${type};base64,${btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))}`
