import { attendTraining, ATTENDANCE_MS, trainings } from '@flotilla/contract/trainings/trainings'
import { useEffect, useRef } from 'react'
import { useLive } from '../api/live'
import { useApiQuery } from '../api/query'
import { callSocket } from '../api/socket'
import { refreshSession } from '../login/session'
import { useUser } from '../session/user'
import { notices } from '../ui/feedback/notices-store'

/** For users with a seat, on every page: reports their presence to the control room and shows instructor messages. */
export default function Attendance() {
  const { connected } = useLive()
  const { endTime } = useUser()
  const seat = useApiQuery(trainings.own, {})
  const shown = useRef<number | null>(null)

  useEffect(() => {
    if (!connected) return
    const attend = () => void callSocket(attendTraining, {}).catch(() => undefined)
    attend()
    const timer = setInterval(attend, ATTENDANCE_MS)
    return () => clearInterval(timer)
  }, [connected])

  // The countdown uses the session's end time, so a new end requires a refresh.
  const newEnd = seat.data?.endTime
  useEffect(() => {
    if (newEnd !== undefined && newEnd !== endTime) refreshSession({ repeat: true }).catch(() => undefined)
  }, [newEnd, endTime])

  const messages = seat.data?.messages
  useEffect(() => {
    if (!messages) return
    // Messages from before this page was opened are on the workshop's page.
    const since = shown.current
    shown.current = messages.at(-1)?.sentAt ?? 0
    if (since === null) return
    for (const { sender, text } of messages.filter(({ sentAt }) => sentAt > since))
      notices.info(`${sender}: ${text}`)
  }, [messages])
  return null
}
