/** Stacks: what images are built from, their builds, and the images that came of it. */
export const stacks = `
create table stacks (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  provider text not null,
  builder text not null,
  credential_id text not null references credentials,
  state text not null,
  state_since timestamptz not null,
  cause text,
  data jsonb not null,
  rhel_organization_id text not null,
  sealed_activation_key text,
  -- The machines that are open for changes by hand, and until when.
  open jsonb,
  -- Counts the changes of what an image is built from; and the one that the image was built of.
  version int not null default 1,
  built_version int,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index stacks_newest on stacks (created_at desc, id desc);
create index stacks_of_owner on stacks (owner_id);
create index stacks_of_credential on stacks (credential_id);

create table stack_collaborators (
  stack_id text not null references stacks on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (stack_id, user_id)
);
create index stack_collaborators_of_user on stack_collaborators (user_id);

create table stack_files (
  stack_id text not null references stacks on delete cascade,
  field text not null,
  name text not null,
  bytes bytea not null,
  primary key (stack_id, field, name)
);

create table stack_runs (
  id text primary key,
  stack_id text not null references stacks on delete cascade,
  actor_id text,
  actor text,
  began_at timestamptz not null,
  ended_at timestamptz,
  cause text,
  version int not null,
  cancel_asked boolean not null default false,
  -- The changes by hand are done.
  finalized boolean not null default false,
  -- How far the engine's words were read.
  engine_position bigint not null default 0
);
create unique index stack_runs_under_way on stack_runs (stack_id) where ended_at is null;

create table stack_logs (
  seq bigint generated always as identity primary key,
  stack_id text not null references stacks on delete cascade,
  type text not null,
  time timestamptz not null,
  text text not null
);
create index stack_logs_of_type on stack_logs (stack_id, type, seq);

-- Those of older builds stay in the cloud and on the list, and are not current any more.
create table stack_images (
  stack_id text not null references stacks on delete cascade,
  role text not null,
  image_id text not null,
  region text not null,
  manager text not null,
  current boolean not null,
  built_at timestamptz not null,
  primary key (stack_id, role, image_id, region)
);

-- A cluster keeps the stack that it starts from.
alter table clusters add foreign key (stack_id) references stacks;
create index clusters_of_stack on clusters (stack_id) where stack_id is not null;
`
