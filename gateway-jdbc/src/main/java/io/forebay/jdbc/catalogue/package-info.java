/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Named statements: the catalogue file, its parameters, and the gateway of each statement. */
@NullMarked
package io.forebay.jdbc.catalogue;

import org.jspecify.annotations.NullMarked;
