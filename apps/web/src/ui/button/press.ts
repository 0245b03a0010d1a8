/*
 * A field that loses the focus may show an error, which moves everything below it. If that happens while the mouse is
 * down on a button, the button moves away and the click is lost. So such changes wait until the mouse is up.
 */

/** The release event can get lost, for example in a system menu; nothing waits longer than this. */
const MOST_MS = 2000

let press: { end: Promise<void>; resolvePress: () => void; timer: ReturnType<typeof setTimeout> } | null =
  null

const stop = () => {
  clearTimeout(press?.timer)
  press?.resolvePress()
  press = null
}
const begin = () => {
  stop()
  let resolvePress = () => {}
  const end = new Promise<void>((resolve) => (resolvePress = resolve))
  press = { end, resolvePress, timer: setTimeout(stop, MOST_MS) }
}
addEventListener('pointerdown', begin, { capture: true })
// The click follows the release in the same task.
for (const name of ['pointerup', 'pointercancel', 'contextmenu'])
  addEventListener(name, () => void setTimeout(stop), { capture: true })

/** Resolves when no mouse button is down and the click has been handled. */
export const pressEnd = async (): Promise<void> => press?.end
