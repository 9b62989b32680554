/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The HTTP door: callers send statements of a catalogue by name and query their results. An
 * application has a door if it has a bean of type {@link io.forebay.jdbc.http.StatementGrants}.
 */
@NullMarked
package io.forebay.jdbc.http;

import org.jspecify.annotations.NullMarked;
