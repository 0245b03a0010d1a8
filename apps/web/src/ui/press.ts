/*
 * A field that is left complains, and what stands below it moves. Done while the mouse is down on a button, that takes the
 * button from under it and the click is lost: what moves things waits until the mouse is up.
 */

/** A release can get lost, in a menu of the system's say; nothing waits longer than this. */
const MOST_MS = 2000

let under: { end: Promise<void>; resolvePress: () => void; timer: ReturnType<typeof setTimeout> } | null =
  null

const stop = () => {
  clearTimeout(under?.timer)
  under?.resolvePress()
  under = null
}
const begin = () => {
  stop()
  let resolvePress = () => {}
  const end = new Promise<void>((resolve) => (resolvePress = resolve))
  under = { end, resolvePress, timer: setTimeout(stop, MOST_MS) }
}
addEventListener('pointerdown', begin, { capture: true })
// The click follows the release within the same turn.
for (const name of ['pointerup', 'pointercancel', 'contextmenu'])
  addEventListener(name, () => void setTimeout(stop), { capture: true })

/** Resolves when no button of the mouse is down, and what was clicked has been told. */
export const pressEnd = async (): Promise<void> => under?.end
