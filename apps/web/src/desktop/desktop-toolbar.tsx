import type { DesktopMode } from '@flotilla/contract/desktops/desktops'
import { ClipboardPaste, Keyboard, Maximize, Minimize, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { RefObject } from 'react'
import { IconButton } from '../ui/button/button'
import { Menu } from '../ui/overlay/menu'
import type { MenuEntry } from '../ui/overlay/menu-entry'
import { ClipboardDialog } from './clipboard-dialog'
import { qualities } from './use-desktop'
import type { DesktopControls, Quality } from './use-desktop'

/** Keysyms of X. */
const keys = { control: 0xffe3, alt: 0xffe9, super: 0xffeb, tab: 0xff09, escape: 0xff1b, f4: 0xffc1, t: 0x74 }

interface Props {
  desktop: DesktopControls
  mode: DesktopMode
  section: RefObject<HTMLElement | null>
  isFull: boolean
  mayResize: boolean
}

export function DesktopToolbar({ desktop, mode, section, isFull, mayResize }: Props) {
  const { state, send, quality, setQuality, fitsWindow, setFitsWindow } = desktop
  const [showsClipboard, setShowsClipboard] = useState(false)
  const disabledReason = state.at === 'open' ? null : 'Not connected'
  const controls = mode === 'control'

  const press = (...all: number[]): void =>
    send((rfb) => {
      for (const key of all) rfb.sendKey(key, null, true)
      for (const key of all.toReversed()) rfb.sendKey(key, null, false)
      rfb.focus()
    })
  /** Keys that the browser or the operating system keeps for itself. */
  const combinations: MenuEntry[] = [
    { label: 'Ctrl+Alt+Delete', onSelect: () => send((rfb) => rfb.sendCtrlAltDel()) },
    { label: 'Alt+Tab', onSelect: () => press(keys.alt, keys.tab) },
    { label: 'Alt+F4', onSelect: () => press(keys.alt, keys.f4) },
    { label: 'Ctrl+T', onSelect: () => press(keys.control, keys.t) },
    { label: 'Super', onSelect: () => press(keys.super) },
    { label: 'Escape', onSelect: () => press(keys.escape) },
  ]
  const display: MenuEntry[] = [
    { heading: 'Quality' },
    ...(Object.keys(qualities) as Quality[]).map((one) => ({
      label: qualities[one].label,
      checked: quality === one,
      onSelect: () => setQuality(one),
    })),
    ...(controls && mayResize
      ? ([
          'separator',
          {
            label: 'Resize desktop to window',
            checked: fitsWindow,
            onSelect: () => setFitsWindow(!fitsWindow),
          },
        ] as const)
      : []),
  ]
  const toggleFull = (): void =>
    void (isFull ? document.exitFullscreen() : section.current?.requestFullscreen())?.catch(() => undefined)

  return (
    <>
      {controls && (
        <>
          <Menu
            label="Send keys"
            items={combinations}
            trigger={<IconButton label="Send keys" icon={Keyboard} disabledReason={disabledReason} />}
          />
          <IconButton
            label="Clipboard"
            icon={ClipboardPaste}
            disabledReason={disabledReason}
            onClick={() => setShowsClipboard(true)}
          />
        </>
      )}
      <Menu
        label="Display settings"
        items={display}
        trigger={<IconButton label="Display settings" icon={SlidersHorizontal} />}
      />
      <IconButton
        label={isFull ? 'Leave full screen' : 'Full screen'}
        icon={isFull ? Minimize : Maximize}
        onClick={toggleFull}
      />
      {showsClipboard && (
        <ClipboardDialog
          text={desktop.clipboard}
          onSend={desktop.giveClipboard}
          onClose={() => {
            setShowsClipboard(false)
            send((rfb) => rfb.focus())
          }}
        />
      )}
    </>
  )
}
