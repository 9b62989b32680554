/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Undoes commands of operators, if the state is still the one that the command left. */
@NullMarked
package io.forebay.admin.undo;

import org.jspecify.annotations.NullMarked;
