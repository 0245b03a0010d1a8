import { Broken } from '../../shell/root-boundary'

export default function Error500() {
  return <Broken inFrame />
}
