/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The HTTP door: statements of a catalogue are sent by name, and their results asked for. It opens
 * in an application that has a bean of {@link io.forebay.jdbc.http.StatementGrants}.
 */
@NullMarked
package io.forebay.jdbc.http;

import org.jspecify.annotations.NullMarked;
