import type * as pages from './pages/store'

export const nodeColumns: pages.Columns = {
  name: 'numbered',
  state: 'text',
  nativeState: 'text',
  note: 'text',
  reason: 'text',
  partitions: 'list',
  cores: 'number',
  coresUsed: { type: 'number', of: 'cores' },
  gpus: 'number',
  gpusUsed: { type: 'number', of: 'gpus' },
  memoryMb: { type: 'memory', free: 'memoryFreeMb' },
  memoryFreeMb: 'memory',
  load: 'number',
}
export const queueColumns: pages.Columns = {
  id: 'numbered',
  name: 'numbered',
  user: 'text',
  state: 'outcome',
  nativeState: 'text',
  reason: 'text',
  partition: 'text',
  nodeList: 'numbered',
  nodes: 'number',
  cores: 'number',
  gpus: 'number',
  submitTime: 'date',
  startTime: 'date',
  endTime: 'date',
  timeLimitS: 'duration',
  // Shown only as part of a failed state, which filters find.
  exitCode: { type: 'number', hidden: true },
}
