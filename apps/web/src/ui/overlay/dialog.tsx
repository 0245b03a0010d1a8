import { X } from 'lucide-react'
import { useId, useLayoutEffect, useRef } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import { IconButton } from '../button/button'
import { cx } from '../text/cx'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  footer?: ReactNode
  size?: 's' | 'm' | 'l'
  /** At the right edge and as tall as the window, for details next to the page. */
  side?: boolean
  /** False while closing would do harm: Esc, backdrop and the close button then do nothing. */
  dismissable?: boolean
}

const widths = { s: 'sm:w-100', m: 'sm:w-130', l: 'sm:w-180' }

/**
 * The native modal dialog: it traps the focus, makes the page behind it inert and restores the focus. The first element
 * with `data-autofocus` gets the focus, else the first field, else the dialog itself.
 */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null
}

function OpenDialog({
  onClose,
  title,
  description,
  children,
  footer,
  size = 'm',
  side = false,
  dismissable = true,
}: Omit<DialogProps, 'open'>) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()

  useLayoutEffect(() => {
    const element = dialog.current
    if (!element) return
    keepPageWidth()
    element.showModal()
    const first =
      element.querySelector<HTMLElement>('[data-autofocus]') ??
      element.querySelector<HTMLElement>('[data-dialog-body] :is(input, select, textarea):not(:disabled)') ??
      element
    // In a radio group, the focus starts at the checked one.
    const isRadio = first instanceof HTMLInputElement && first.type === 'radio'
    const group = isRadio ? [...element.querySelectorAll<HTMLInputElement>('input[type="radio"]')] : []
    const chosen = group.find(({ name, checked }) => isRadio && name === first.name && checked)
    ;(chosen ?? first).focus()
    // Closing before the element is removed lets the browser restore the focus.
    return () => element.close()
  }, [])

  const onPress = (event: MouseEvent<HTMLDialogElement>) => {
    // A field that loses the focus may show an error, which moves the dialog's buttons away from the pointer. So
    // pressing one of them does not take the focus from the field.
    const button = event.target instanceof Element && event.target.closest('button')
    if (button && !button.closest('[data-dialog-body]')) event.preventDefault()
    // A stray click must not discard what the user typed.
    if (event.target === dialog.current && dismissable && !dialog.current.querySelector('form')) onClose()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a click on the backdrop; keys have Esc
    <dialog
      ref={dialog}
      tabIndex={-1}
      aria-labelledby={`${id}title`}
      aria-describedby={description ? `${id}description` : undefined}
      onMouseDown={onPress}
      onCancel={(event) => {
        // Also bubbles from file inputs; only Esc on the dialog itself counts.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (dismissable) onClose()
      }}
      onClose={(event) => {
        // Chromium closes on a second Esc whatever the page says: stay consistent with what is rendered.
        if (event.target !== event.currentTarget || event.currentTarget.open) return
        if (dismissable) onClose()
        else if (event.currentTarget.isConnected) event.currentTarget.showModal()
      }}
      className={cx(
        // Text as on the page, whatever surrounds the button that opened it.
        'dialog w-full flex-col overflow-hidden bg-surface-2 text-left font-normal whitespace-normal text-ink-1 shadow-float outline-none open:flex',
        side
          ? 'my-0 mr-0 ml-auto h-dvh max-h-none max-w-full animate-appear'
          : 'm-auto max-h-[calc(100dvh-2rem)] animate-rise rounded-card max-sm:mb-0 max-sm:max-w-none max-sm:rounded-b-none sm:max-w-[calc(100vw-2rem)]',
        widths[size],
      )}
    >
      <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
        <div className="min-w-0">
          <h2 id={`${id}title`} className="text-section font-semibold wrap-break-word">
            {title}
          </h2>
          {description && (
            <p id={`${id}description`} className="mt-1 text-body text-ink-2">
              {description}
            </p>
          )}
        </div>
        {dismissable && (
          <IconButton
            label="Close dialog"
            tooltip={false}
            icon={X}
            onClick={onClose}
            className="-mt-1 -mr-2"
          />
        )}
      </header>
      {children !== undefined && children !== null && (
        <div data-dialog-body className="min-h-0 flex-auto overflow-y-auto px-5 pt-1 pb-5">
          {children}
        </div>
      )}
      {footer && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line-1 px-5 py-3">
          {footer}
        </footer>
      )}
    </dialog>
  )
}

/** The page loses its scrollbar while a dialog is open (styles.css) and must not shift by its width. */
function keepPageWidth(): void {
  const { documentElement: page } = document
  if (document.querySelector('dialog:modal')) return
  page.style.setProperty('--scrollbar-gap', `${innerWidth - page.clientWidth}px`)
}
