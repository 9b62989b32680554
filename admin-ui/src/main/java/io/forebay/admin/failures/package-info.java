/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What failed, in groups, and how many of them are sent again at once. */
@NullMarked
package io.forebay.admin.failures;

import org.jspecify.annotations.NullMarked;
