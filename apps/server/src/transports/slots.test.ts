import { describe, expect, it } from 'vitest'
import { Slots } from './slots'

describe('slots', () => {
  it('are granted in order and never beyond the limit', async () => {
    const slots = new Slots(3)
    let used = 0
    let most = 0
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const slot = await slots.take('short')
        order.push(index)
        most = Math.max(most, ++used)
        await new Promise((resolve) => setImmediate(resolve))
        used--
        slot.closed()
        slot.closed()
      }),
    )
    expect(most).toBe(3)
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index))
  })

  it('are not lost when a waiting caller aborts', async () => {
    const slots = new Slots(1)
    const first = await slots.take('short')
    const stop = new AbortController()
    const aborted = slots.take('short', stop.signal)
    const waiting = slots.take('short')
    stop.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    first.closed()
    const second = await waiting
    second.closed()
    expect((await slots.take('short')).others()).toBe(0)
  })

  it('are reduced when the remote host refuses a channel, and reset on a new connection', async () => {
    const slots = new Slots(8)
    const held = [await slots.take('short'), await slots.take('short'), await slots.take('short')]
    held[2]?.refused(false)
    let third = false
    const waiting = slots.take('short').then((slot) => {
      third = true
      return slot
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(third).toBe(false)
    slots.forget()
    expect((await waiting).others()).toBe(2)
  })

  it('always leave one for commands besides lasting channels, however often the remote host refuses', async () => {
    const slots = new Slots(8)
    const [files, terminal] = [await slots.take('files'), await slots.take('lasting')]
    for (let refusal = 0; refusal < 10; refusal++) (await slots.take('short')).refused(true)
    const command = await slots.take('short')
    expect(command.others()).toBe(2)
    for (const slot of [files, terminal, command]) slot.closed()
  })
})
