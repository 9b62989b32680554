/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Grant;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.Objects;

/**
 * A request for a new user.
 *
 * @param statements those that jobs may perform for the user; missing: none
 */
record UserRequest(
    @Pattern(regexp = AccessController.NAME, message = AccessController.NAME_RULE) String name,
    @Pattern(regexp = "viewer|operator|admin", message = "must be viewer, operator or admin")
        String role,
    List<@Grant String> statements) {

  UserRequest {
    name = Objects.requireNonNullElse(name, "");
    role = Objects.requireNonNullElse(role, "");
    statements = Objects.requireNonNullElse(statements, List.of());
  }
}
