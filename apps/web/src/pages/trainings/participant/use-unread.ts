import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import { useState } from 'react'
import * as z from 'zod/mini'
import { pageSettings } from '../../../session/page-settings'

const settings = pageSettings(
  'participant.messages',
  z.object({ trainingId: z.string(), readTo: z.number() }),
)

/** The number of unread messages, and a function that marks all as read. */
export function useUnread({ training, messages }: OwnSeat) {
  const [readTo, setReadTo] = useState(() => {
    const stored = settings.load()
    return stored?.trainingId === training.id ? stored.readTo : 0
  })
  return {
    unread: messages.filter(({ sentAt }) => sentAt > readTo).length,
    markRead: () => {
      const newest = messages.at(-1)?.sentAt ?? 0
      setReadTo(newest)
      settings.save({ trainingId: training.id, readTo: newest })
    },
  }
}
