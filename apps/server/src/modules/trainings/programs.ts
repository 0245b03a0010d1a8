/** What participants run besides their sessions. */
export type SeatPrograms = {
  /** Ends the programs and returns how many there were. */
  end(of: { userIds: string[]; clusterId?: string | undefined }): Promise<number>
  running(userIds: string[]): Promise<{ id: string; userId: string }[]>
}

/** Ends desktops and apps. Returns the number of desktops. */
export const makeEndPrograms =
  (desktops: SeatPrograms, apps: SeatPrograms) =>
  async (ids: string[]): Promise<number> => {
    if (ids.length === 0) return 0
    const ended = await desktops.end({ userIds: ids })
    await apps.end({ userIds: ids })
    return ended
  }
