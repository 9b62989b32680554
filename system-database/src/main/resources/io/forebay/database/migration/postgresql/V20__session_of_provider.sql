-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The rights of a user whom the OpenID provider identified, as of the login; an empty role: the user is in admin_user.
alter table forebay.admin_session alter column user_name type varchar(255);
alter table forebay.admin_session add column if not exists role varchar(20) default '' not null;
alter table forebay.admin_session add column if not exists statements varchar(4000) default '' not null;
