import { Broken } from '../../shell/gates/root-boundary'

export default function Error500() {
  return <Broken inFrame />
}
