import { attendTraining, ATTENDANCE_MS, trainings } from '@flotilla/contract/trainings/trainings'
import { useEffect, useRef } from 'react'
import { useLive } from '../api/live'
import { useApiQuery } from '../api/query'
import { callSocket } from '../api/socket'
import { refreshSession } from '../login/session'
import { useUser } from '../session/user'
import { notices } from '../ui/feedback/notices-store'

/** For everyone with a seat, on every page: tells the control room that they are there, and shows what the instructor says. */
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

  // The countdown shows the end that the session knows.
  const newEnd = seat.data?.endTime
  useEffect(() => {
    if (newEnd !== undefined && newEnd !== endTime) refreshSession({ repeat: true }).catch(() => undefined)
  }, [newEnd, endTime])

  const messages = seat.data?.messages
  useEffect(() => {
    if (!messages) return
    // What was sent before this page was opened is on the workshop's page.
    const since = shown.current
    shown.current = messages.at(-1)?.sentAt ?? 0
    if (since === null) return
    for (const { sender, text } of messages.filter(({ sentAt }) => sentAt > since))
      notices.info(`${sender}: ${text}`)
  }, [messages])
  return null
}
