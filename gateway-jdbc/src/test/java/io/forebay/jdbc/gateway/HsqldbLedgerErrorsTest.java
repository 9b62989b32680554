/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

class HsqldbLedgerErrorsTest extends LedgerErrorsContract {

  @Override
  String renameColumn(String table, String from, String to) {
    return "alter table forebay." + table + " alter column " + from + " rename to " + to;
  }
}
