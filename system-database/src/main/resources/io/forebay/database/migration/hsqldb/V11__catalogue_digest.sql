-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The statements of a gateway in the catalogue of each instance, to compare them.
create cached table if not exists forebay.catalogue_digest (
  service varchar(100) not null,
  instance varchar(200) not null,
  seen_at timestamp(6) with time zone not null,
  digest varchar(36) not null,
  statements longvarchar not null,
  primary key (service, instance)
);
