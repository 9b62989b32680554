/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.sql.StatementKind;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** A statement as a file of the catalogue declares it, without its parameters. */
record DeclaredStatement(
    @NotNull(message = "name is missing")
        @Pattern(
            regexp = "[A-Za-z0-9._-]{1,100}",
            message = "a name has 1 to 100 letters, digits, '.', '-' or '_'")
        @Nullable String name,
    @DefaultValue("1")
        @Min(value = 1, message = VERSION)
        @Max(value = 999_999_999, message = VERSION)
        int version,
    @Nullable String gateway,
    @Nullable String lane,
    @NotNull(message = "sql is missing") @Nullable String sql,
    @Nullable String key,
    @Nullable StatementKind kind,
    boolean independent,
    boolean explain) {

  private static final String VERSION = "version must be a whole number from 1 to 999999999";
}
