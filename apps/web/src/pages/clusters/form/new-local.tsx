import { PageHeader } from '../../../ui/page-header'
import { NewActions, WhereCards } from '../cloud-form/where-cards'
import { ClusterForm } from './cluster-form'

export default function NewLocal() {
  return (
    <>
      <PageHeader
        title="New cluster"
        description="Of machines that exist already: this one, or others behind a head node."
        actions={<NewActions />}
      />
      <WhereCards chosen="local" />
      <ClusterForm cluster={null} admin={false} />
    </>
  )
}
