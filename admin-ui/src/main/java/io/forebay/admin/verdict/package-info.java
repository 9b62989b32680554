/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the samples of services mean to an operator: problems with their figures. */
@NullMarked
package io.forebay.admin.verdict;

import org.jspecify.annotations.NullMarked;
