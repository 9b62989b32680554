create cached table if not exists note (
  id bigint generated always as identity primary key,
  text varchar(1000) not null,
  written_at timestamp(6) with time zone default current_timestamp not null
);
