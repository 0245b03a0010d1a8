import { Failure } from '../../fail'

const isDuplicate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505'
export const duplicateEntry = () => new Failure('duplicate_entry', { extras: { reason: 'duplicateEntry' } })

/** Name and address are unique in the database; the second request fails here. */
export async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isDuplicate(error) ? duplicateEntry() : error
  }
}
