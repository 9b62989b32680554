-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Run once, by the image of PostgreSQL, when its volume is new: the roles of docs/start.md, a database, and a table for
-- the statements of catalogue.yaml.
\set owner_password `cat /run/secrets/forebay_owner_password`
\set gateway_password `cat /run/secrets/forebay_gateway_password`
create role forebay_owner login password :'owner_password';
create role forebay_gateway login password :'gateway_password';
create database shop owner forebay_owner;
\connect shop
revoke create on schema public from public;
create table note (
  id bigint generated always as identity primary key,
  text varchar(1000) not null,
  written_at timestamptz not null default current_timestamp
);
grant select, insert, update, delete on note to forebay_gateway;
