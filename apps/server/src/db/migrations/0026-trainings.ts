/** Workshops: their seats, who registered and who sits where, messages, and the runs that prepare and tear down. */
export const trainings = `
create table trainings (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  -- The shared cluster, or the template of the seats' own ones.
  cluster_id text references clusters on delete set null,
  seat_mode text not null check (seat_mode in ('shared', 'own')),
  course_id text,
  app_ids text[] not null,
  allowed_domains text[] not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  session_code text not null,
  -- Looked up by it: how long a comparison takes says nothing about the code.
  code_hash text not null unique,
  two_step boolean,
  preparation text not null default 'none',
  preparation_cause text,
  -- Set once, by the clock or by the instructor.
  ended_at timestamptz,
  receipt jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index trainings_newest on trainings (created_at desc, id desc);
create index trainings_of_owner on trainings (owner_id);
create index trainings_of_cluster on trainings (cluster_id);

create table training_collaborators (
  training_id text not null references trainings on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (training_id, user_id)
);
create index training_collaborators_of_user on training_collaborators (user_id);

create table training_registrations (
  id text primary key,
  training_id text not null references trainings on delete cascade,
  email text not null,
  full_name text not null,
  registered_at timestamptz not null,
  verified_at timestamptz,
  -- The emailed code, as a keyed hash.
  code_hash text,
  code_expires_at timestamptz,
  code_attempts int not null default 0,
  -- A verification lets one login follow, for a short time, from the browser or the address that it came from.
  login_until timestamptz,
  login_from text,
  unique (training_id, email)
);

-- All seats exist from the beginning, so that no more people can sit down than there are.
create table training_seats (
  training_id text not null references trainings on delete cascade,
  number int not null check (number > 0),
  registration_id text unique references training_registrations on delete set null,
  user_id text unique references users on delete set null,
  cluster_id text references clusters on delete set null,
  -- The cluster was made for this seat: only then may the end of the workshop destroy it.
  own_cluster boolean not null default false,
  joined_at timestamptz,
  last_seen_at timestamptz,
  left_at timestamptz,
  online_ms bigint not null default 0,
  hand_raised_at timestamptz,
  primary key (training_id, number)
);
create index training_seats_of_cluster on training_seats (cluster_id);

create table training_messages (
  id text primary key,
  training_id text not null references trainings on delete cascade,
  -- Null: to everyone.
  email text,
  sender text not null,
  text text not null,
  sent_at timestamptz not null
);
create index training_messages_newest on training_messages (training_id, sent_at desc);

create table training_runs (
  id text primary key,
  training_id text not null references trainings on delete cascade,
  action text not null check (action in ('prepare', 'teardown')),
  actor_id text,
  actor text,
  began_at timestamptz not null,
  ended_at timestamptz,
  cause text,
  cancel_asked boolean not null default false
);
create unique index training_runs_in_progress on training_runs (training_id) where ended_at is null;

create table training_logs (
  seq bigint generated always as identity primary key,
  training_id text not null references trainings on delete cascade,
  type text not null,
  time timestamptz not null,
  level text not null default 'info',
  text text not null
);
create index training_logs_of_type on training_logs (training_id, type, seq);
`
