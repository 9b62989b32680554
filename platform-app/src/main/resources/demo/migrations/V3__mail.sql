create cached table if not exists sent_mail (
  id uuid primary key,
  recipient varchar(100) not null,
  sent_at timestamp(6) with time zone not null
);
create index if not exists sent_mail_sent_at on sent_mail (sent_at);
