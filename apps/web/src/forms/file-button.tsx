import { useRef } from 'react'
import type { ComponentProps } from 'react'
import { Button } from '../ui/button/button'

interface FileButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  onFiles: (files: File[]) => void
  /** The name of the file input behind the button. */
  inputLabel?: string
  accept?: string
  multiple?: boolean
}

/** A button that lets the user choose files. */
export function FileButton({ onFiles, inputLabel, accept, multiple, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={inputLabel}
        accept={accept}
        multiple={multiple}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Allows choosing the same file again after it has changed.
          target.value = ''
        }}
      />
    </>
  )
}
