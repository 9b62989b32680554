/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import io.forebay.access.Grant;
import jakarta.validation.constraints.Null;
import jakarta.validation.constraints.Pattern;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for a new token.
 *
 * @param statements what it may send; missing: nothing
 * @param expiresAt when the token ends; missing: as late as it may
 * @param others unknown fields
 */
record TokenRequest(
    @Pattern(regexp = AccessController.NAME, message = AccessController.NAME_RULE) String name,
    @Pattern(
            regexp = "none|viewer|operator|admin",
            message = "must be none, viewer, operator or admin")
        String role,
    List<@Grant String> statements,
    @Nullable Instant expiresAt,
    @JsonAnySetter
        Map<
                String,
                @Null(message = "is unknown; allowed are name, role, statements and expiresAt")
                Object>
            others) {

  TokenRequest {
    name = Objects.requireNonNullElse(name, "");
    role = Objects.requireNonNullElse(role, "");
    statements = Objects.requireNonNullElse(statements, List.of());
  }
}
