/** The latest time before or at `now` at which a daily backup of this hour was due, in the server's time zone. */
export function lastDue(now: number, hour: number): number {
  const due = new Date(now)
  due.setHours(hour, 0, 0, 0)
  if (due.getTime() > now) due.setDate(due.getDate() - 1)
  return due.getTime()
}

export function nextDue(now: number, hour: number): number {
  const due = new Date(lastDue(now, hour))
  due.setDate(due.getDate() + 1)
  return due.getTime()
}
