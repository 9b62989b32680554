/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;

/** The commands to services that the HTTP API has, for the document that describes it. */
public record OperatorCommands(List<Command> all) {

  public OperatorCommands {
    all = List.copyOf(all);
  }

  /**
   * @param path with its parameters in braces
   * @param roles those that may give it, as the server names them
   * @param description the path in the OpenAPI document, as JSON
   */
  public record Command(String path, List<String> roles, String description) {}
}
