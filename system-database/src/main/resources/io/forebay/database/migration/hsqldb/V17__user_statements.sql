-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Which statements a user may have performed by jobs; patterns separated by spaces, as of a token.
alter table forebay.admin_user
  add column if not exists statements varchar(4000) default '' not null;
