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
   * A POST whose body has a reason.
   *
   * @param path with its parameters in braces
   * @param summary what it does, in a line
   * @param roles those that may give it, as the server names them
   * @param needsReason whether the reason must be there
   * @param needsPosition whether the body also names the position of a message
   * @param mayReplace whether the body may name the time of an earlier command that it replaces
   * @param mayEnd whether the body may say until when the command is in effect
   */
  public record Command(
      String path,
      String summary,
      List<String> roles,
      boolean needsReason,
      boolean needsPosition,
      boolean mayReplace,
      boolean mayEnd) {

    /** The last part of the path. */
    public String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }
}
