/** Courses: chapters with their pictures and attachments, and how far the participants of workshops are. */
export const courses = `
create table courses (
  id text primary key,
  owner_id text not null references users,
  name text not null,
  description text not null,
  template_id int,
  app_ids text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index courses_newest on courses (created_at desc, id desc);
create index courses_of_owner on courses (owner_id);

create table course_collaborators (
  course_id text not null references courses on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (course_id, user_id)
);
create index course_collaborators_of_user on course_collaborators (user_id);

create table course_chapters (
  id text primary key,
  course_id text not null references courses on delete cascade,
  position int not null,
  title text not null,
  markdown text not null,
  updated_at timestamptz not null
);
create index course_chapters_of_course on course_chapters (course_id, position);

create table course_files (
  course_id text not null references courses on delete cascade,
  name text not null,
  -- Null unless it is a picture that chapters can show.
  picture text,
  bytes bytea not null,
  primary key (course_id, name)
);

-- Of whom is told by the registration, which outlives the account.
create table course_progress (
  training_id text not null references trainings on delete cascade,
  registration_id text not null references training_registrations on delete cascade,
  chapter_id text not null references course_chapters on delete cascade,
  opened_at timestamptz not null,
  done_at timestamptz,
  primary key (training_id, registration_id, chapter_id)
);
create index course_progress_of_chapter on course_progress (chapter_id);
create index course_progress_of_registration on course_progress (registration_id);

create table course_answers (
  training_id text not null references trainings on delete cascade,
  registration_id text not null references training_registrations on delete cascade,
  chapter_id text not null references course_chapters on delete cascade,
  quiz text not null,
  -- As it was when it was answered.
  question text not null,
  answer text[] not null,
  correct boolean,
  answered_at timestamptz not null,
  primary key (training_id, registration_id, chapter_id, quiz)
);
create index course_answers_of_chapter on course_answers (chapter_id);
create index course_answers_of_registration on course_answers (registration_id);
`
