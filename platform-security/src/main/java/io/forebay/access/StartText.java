/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

/**
 * What a start prints around the address of the admin page and new credentials. An application
 * without such a bean prints them only if there are new credentials.
 */
public interface StartText {

  /**
   * The first line.
   *
   * @param address of the web server, such as {@code http://127.0.0.1:8080}
   */
  String headline(String address);

  /** What the example for a new token does, such as "Send a statement". */
  String exampleTitle();

  /** The path of the example, in quotation marks, and further options of curl. */
  String exampleRequest();
}
