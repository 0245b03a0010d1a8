import type { TrainingMessage } from '@flotilla/contract/trainings/entity'
import { useEffect, useEffectEvent, useState } from 'react'
import * as z from 'zod/mini'
import { pageSettings } from '../../../session/page-settings'
import { notices } from '../../../ui/feedback/notices-store'

const settings = pageSettings(
  'participant.messages',
  z.object({ trainingId: z.string(), readTo: z.number() }),
)

/** How many messages were not read yet. One that arrives while the page is open is also shown as a notice. */
export function useUnread(
  trainingId: string,
  messages: readonly TrainingMessage[],
  reading: boolean,
): number {
  const [readTo, setReadTo] = useState(() => {
    const stored = settings.load()
    return stored?.trainingId === trainingId ? stored.readTo : 0
  })
  const [announcedTo, setAnnouncedTo] = useState(messages.at(-1)?.sentAt ?? 0)
  const newest = messages.at(-1)
  const newestAt = newest?.sentAt ?? 0
  const arrived = useEffectEvent(() => {
    if (reading) {
      setReadTo(newestAt)
      settings.save({ trainingId, readTo: newestAt })
    } else if (newest && newestAt > announcedTo) notices.info(`${newest.sender}: ${newest.text}`)
    setAnnouncedTo(newestAt)
  })
  useEffect(() => arrived(), [newestAt, reading])
  return messages.filter(({ sentAt }) => sentAt > readTo).length
}
