import { doctor as calls } from '@flotilla/contract/site/doctor'
import type { Bind } from '../../http/bind'
import type { Doctor } from './doctor'

export function bindDoctor(bind: Bind, doctor: Doctor): void {
  bind(calls.view, () => doctor.view())
}
